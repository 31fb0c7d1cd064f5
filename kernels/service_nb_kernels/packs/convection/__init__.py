"""Nusselt numbers of convection: pipes, plates, cylinders, spheres, tube banks, plate exchangers and packed beds."""
