import { createService } from "@service-nb/client/next";

export const runtime = "nodejs";
export const dynamic = "force-dynamic";

export async function GET(): Promise<Response> {
  const service = createService();
  try {
    await service.connect({ provider: "sqlite", path: "data/sales.sqlite", table: "sales" }, { name: "sales" });
    const { status, data, card } = await service.ask("sum amount by region from sales");
    return Response.json({ status, rows: data?.result, hash: data?.result_hash, card });
  } catch (error) {
    return Response.json(error, { status: 500 });
  }
}
