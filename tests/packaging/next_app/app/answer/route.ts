import { createService } from "@service-nb/client/next";

export const runtime = "nodejs";
export const dynamic = "force-dynamic";

export async function GET(request: Request): Promise<Response> {
  const service = createService({ policy: { allowedFields: { sales: ["region", "amount"] } } });
  await service.connect("data/sales.csv");
  const question = new URL(request.url).searchParams.get("q") ?? "sum amount by region from sales";
  const { status, data, resolution, card } = await service.ask(question);
  return Response.json({ status, rows: data?.result, hash: data?.result_hash, reason: resolution.reason, card });
}
