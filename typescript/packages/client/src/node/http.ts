/**
 * One exchange of HTTP with a deployment, by `node:http` and `node:https`.
 *
 * Not by `fetch`: only here can a file say which certificates are trusted, and is nothing followed, decompressed or sent
 * by a proxy that the environment names. The deadline holds for the whole exchange, and an answer is cut off at its limit
 * while it arrives.
 */

import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import * as http from "node:http";
import * as https from "node:https";
import { ExchangeError, type HttpRequest, type HttpResponse, type Transport } from "../deployment/transport.js";
import { ServiceError } from "../errors.js";
import { type Address } from "./address.js";

const MOST_CONNECTIONS = 32;
const CONNECT_MS = 10_000;
const UNTRUSTED =
  /^(?:CERT_|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO_SELF_SIGNED_CERT|ERR_TLS_CERT_ALTNAME|HOSTNAME_MISMATCH)/;
const TLS = /^(?:ERR_SSL_|ERR_TLS_|EPROTO)/;
const UNREACHABLE: readonly string[] = [
  ...["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EAI_FAIL", "EHOSTUNREACH", "ENETUNREACH", "EADDRNOTAVAIL", "EACCES"],
];

/** Opens the way to a deployment; connections are kept for the next call, and none keeps the process alive. */
export function openTransport({ base, ca }: Address): Transport {
  const url = new URL(base);
  const secure = url.protocol === "https:";
  const options = { keepAlive: true, maxSockets: MOST_CONNECTIONS };
  const agent = secure
    ? new https.Agent({ ...options, ...(ca !== undefined && { ca: readCertificates(ca) }) })
    : new http.Agent(options);
  const target = {
    agent,
    protocol: url.protocol,
    hostname: url.hostname.replace(/^\[(.*)\]$/, "$1"),
    port: url.port === "" ? (secure ? 443 : 80) : Number(url.port),
  };
  const prefix = url.pathname.replace(/\/+$/, "");
  return {
    host: url.host,
    send: (request) => exchange({ ...target, path: prefix + request.path }, secure, request),
    sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    now: () => performance.now(),
    random: Math.random,
    drawHex: (digits) => randomBytes(digits / 2).toString("hex"),
    close: () => {
      agent.destroy();
    },
  };
}

function readCertificates(path: string): Buffer {
  try {
    const content = readFileSync(path);
    if (content.includes("-----BEGIN CERTIFICATE-----")) return content;
  } catch {
    // told below
  }
  const message = "SERVICE_DEPLOYMENT_CA is not a readable file of certificates (PEM).";
  const details = { path: "SERVICE_DEPLOYMENT_CA", expected: "a file of certificates" };
  throw new ServiceError("invalid_intent", message, { details });
}

function exchange(target: http.RequestOptions, secure: boolean, request: HttpRequest): Promise<HttpResponse> {
  return new Promise((resolve, reject) => {
    const { method, headers, body, withinMs, mostBytes } = request;
    const length = body === undefined ? {} : { "Content-Length": String(body.length) };
    const send = secure ? https.request : http.request;
    const sent = send({ ...target, method, headers: { ...headers, ...length } });
    const timers = [setTimeout(() => sent.destroy(new ExchangeError("overdue", "the time is over")), withinMs)];
    const finish = (action: () => void): void => {
      timers.forEach(clearTimeout);
      action();
    };
    const fail = (error: Error): void => {
      finish(() => {
        reject(explainError(error));
      });
    };
    sent.on("error", fail);
    sent.on("socket", (socket) => {
      if (!socket.connecting) return;
      const late = new ExchangeError("slow_connection", "the connection was not made in time");
      const timer = setTimeout(() => sent.destroy(late), CONNECT_MS);
      timers.push(timer);
      socket.once(secure ? "secureConnect" : "connect", () => {
        clearTimeout(timer);
      });
    });
    sent.on("response", (response) => {
      readResponse(response, mostBytes).then((read) => {
        finish(() => {
          resolve(read);
        });
      }, (error: unknown) => {
        sent.destroy();
        fail(error instanceof Error ? error : new Error(String(error)));
      }); // prettier-ignore
    });
    sent.end(body);
  });
}

/** Reads a response, at most so many bytes of it. */
async function readResponse(response: http.IncomingMessage, most: number): Promise<HttpResponse> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of response as AsyncIterable<Uint8Array>) {
    size += piece.length;
    if (size > most) throw new ExchangeError("too_large", "the answer is too long");
    pieces.push(piece);
  }
  if (!response.complete) throw new ExchangeError("lost", "the answer was cut off, or is not HTTP");
  const headers = Object.entries(response.headersDistinct).map(([name, values]) => [name, values?.join(", ") ?? ""]);
  return {
    status: response.statusCode ?? 0,
    headers: Object.fromEntries(headers) as Record<string, string>,
    body: Buffer.concat(pieces),
  };
}

function explainError(error: Error): ExchangeError {
  if (error instanceof ExchangeError) return error;
  const code = "code" in error ? String(error.code) : "";
  if (UNTRUSTED.test(code)) return new ExchangeError("untrusted", error.message.slice(0, 200));
  if (TLS.test(code)) return new ExchangeError("tls", "the TLS handshake failed");
  if (UNREACHABLE.includes(code)) return new ExchangeError("unreachable", code);
  if (error instanceof AggregateError && error.errors.some((each) => UNREACHABLE.includes(String((each as { code?: unknown }).code))))
    return new ExchangeError("unreachable", code); // prettier-ignore
  const words = code.startsWith("HPE_") || code === "ECONNRESET" || code === "" ? "the answer was cut off, or is not HTTP" : code; // prettier-ignore
  return new ExchangeError("lost", words);
}
