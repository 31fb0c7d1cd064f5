// What browsers and Node have in common and the language's own library does not declare.
declare class TextEncoder {
  encode(text: string): Uint8Array;
}

declare class TextDecoder {
  constructor(encoding: "utf-8", options: { fatal: true; ignoreBOM: true });
  decode(bytes: Uint8Array): string;
}
