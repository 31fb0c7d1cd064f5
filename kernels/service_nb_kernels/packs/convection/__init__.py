"""Nusselt numbers of forced and free convection: pipes, plates, cylinders, spheres, tube banks, plate exchangers and packed beds."""
