import { ShapeError } from "@service-nb/records";

/** The record that a decoder makes of a value, or what is wrong with its shape. */
export function decoded<T>(decode: (value: unknown) => T, value: unknown): T | ShapeError {
  try {
    return decode(value);
  } catch (error) {
    if (error instanceof ShapeError) return error;
    throw error;
  }
}
