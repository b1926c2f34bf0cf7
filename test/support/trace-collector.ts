import { z } from 'zod'
import { type FarSide, startFarSide } from '../../packages/testing/src/far-side.ts'

const Value = z.looseObject({
  stringValue: z.string().optional(),
  intValue: z.union([z.number(), z.string()]).optional(),
  doubleValue: z.number().optional(),
})
const Attributes = z
  .array(z.object({ key: z.string(), value: Value }))
  .default([])
  .transform((list) =>
    Object.fromEntries(
      list.map(({ key, value: { stringValue, intValue, doubleValue } }) => [
        key,
        stringValue ?? (intValue === undefined ? doubleValue : Number(intValue)),
      ]),
    ),
  )

/** OTLP's numbers: 0 not set, 1 fine, 2 failed. */
const Status = z.looseObject({ code: z.number().optional() }).default({})

const Span = z.looseObject({
  traceId: z.string(),
  spanId: z.string(),
  parentSpanId: z.string().optional(),
  name: z.string(),
  kind: z.number(),
  attributes: Attributes,
  links: z.array(z.looseObject({ traceId: z.string(), spanId: z.string() })).default([]),
  events: z.array(z.looseObject({ name: z.string(), attributes: Attributes })).default([]),
  status: Status,
})

const Export = z.object({
  resourceSpans: z.array(
    z.looseObject({
      resource: z.looseObject({ attributes: Attributes }),
      scopeSpans: z.array(z.looseObject({ spans: z.array(Span) })),
    }),
  ),
})

/** A span as it came over the wire, with the name of the process that sent it. */
export type CollectedSpan = z.output<typeof Span> & { service: unknown }

/** A collector of traces: POST /v1/traces of OTLP over HTTP, as JSON. */
export interface TraceCollector extends FarSide {
  readonly spans: readonly CollectedSpan[]
  /** All bodies, as they came. */
  text(): string
}

/** Starts a collector on 127.0.0.1, on a free port unless the test gives one. */
export async function startTraceCollector(port = 0): Promise<TraceCollector> {
  const spans: CollectedSpan[] = []
  const server = await startFarSide(({ method, path, body }) => {
    if (method !== 'POST' || path !== '/v1/traces') return { status: 404, body: '{}' }
    for (const { resource, scopeSpans } of Export.parse(JSON.parse(body)).resourceSpans)
      for (const { spans: sent } of scopeSpans)
        spans.push(...sent.map((span) => ({ ...span, service: resource.attributes['service.name'] })))
    return { status: 200, body: '{}' }
  }, port)
  return { ...server, spans, text: () => server.requests.map(({ body }) => body).join('\n') }
}
