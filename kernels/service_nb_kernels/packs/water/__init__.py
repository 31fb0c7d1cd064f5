"""Water, steam and ice by the formulations of IAPWS."""
