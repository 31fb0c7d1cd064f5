"""Whether all is well here: what `service-nb doctor` and `%service_doctor` look at."""
