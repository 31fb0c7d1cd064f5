import { createService } from "@service-nb/client/next";

export const runtime = "nodejs";
export const dynamic = "force-dynamic";

export async function GET(): Promise<Response> {
  const service = createService();
  try {
    await service.connect("data/sales.csv");
    const { value, card } = await service.compute("stats.median values=sales.amount");
    return Response.json({ value, card });
  } catch (error) {
    return Response.json(error, { status: 500 });
  }
}
