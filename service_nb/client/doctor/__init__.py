"""The health check behind `service-nb doctor` and `%service_doctor`."""
