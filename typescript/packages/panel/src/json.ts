import type { Asked } from "@service-nb/link";

export type JsonObject = Asked["check_ask"]["spec"];
export type JsonValue = JsonObject[string];
