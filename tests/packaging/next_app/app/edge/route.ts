import { createService } from "@service-nb/client/next";

export const runtime = "edge";

export function GET(): Response {
  try {
    createService();
    return Response.json({ code: "none" });
  } catch (error) {
    return Response.json(error, { status: 500 });
  }
}
