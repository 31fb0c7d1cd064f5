import type { Asked } from "@service-nb/client";

export type JsonObject = Asked["check_ask"]["spec"];
export type JsonValue = JsonObject[string];
