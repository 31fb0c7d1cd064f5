"""Reinforced concrete by Eurocode 2 and by the Model Code: strengths, creep, shrinkage, cracks, shear, bond."""
