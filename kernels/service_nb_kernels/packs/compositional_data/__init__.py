"""Log-ratios and Aitchison geometry of parts of a whole, such as minerals, nutrients and microbiomes."""
