"""Steel members and connections by the specification AISC 360-16; nominal strengths, without resistance factors."""
