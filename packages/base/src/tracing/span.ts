import {
  context,
  isSpanContextValid,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api'
import { describeError } from '../errors.ts'
import { readTraceparent } from './trace-id.ts'

/** Attributes of spans: ids, codes and numbers, never patient data such as the query of a URL. Their names follow OpenTelemetry's semantic conventions, or begin with `pawl.`. */
export type SpanAttributes = Record<string, string | number | undefined>

export interface SpanFacts {
  /** Default: `internal`. */
  kind?: 'internal' | 'server' | 'client' | 'producer' | 'consumer'
  attributes?: SpanAttributes
  /** The trace that the span continues, and those that it links to. An absent `traceparent` begins a new trace. Default: the current span. */
  follows?: { traceparent?: string | undefined; others?: readonly (string | undefined)[] }
  /** Start, if earlier than now: milliseconds since 1970. */
  startedAt?: number
}

export interface OpenSpan {
  /** Adds attributes; `read` is called only if the span is recorded. */
  describe(read: () => SpanAttributes): void
  /** Marks the span as failed, with a code. */
  fail(code: string): void
}

const kinds = {
  internal: SpanKind.INTERNAL,
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
} as const

/** Delegates to the tracer provider that the process registers. */
const tracer = trace.getTracer('pawl')

/** Module state, like OpenTelemetry's registry: read for every span, so it must cost nothing. */
let isTracing = false

/** Turns recording on; until then, spans only run their work. */
export function traceSpans(): void {
  isTracing = true
}

/** The span without tracing. */
const unrecorded: OpenSpan = { describe() {}, fail() {} }

/** Runs the work within a span, which ends with the work. A thrown error marks the span as failed, with the error's code. */
export function inSpan<T>(name: string, facts: SpanFacts, work: (span: OpenSpan) => Promise<T>): Promise<T> {
  return isTracing ? traced(name, facts, work) : work(unrecorded)
}

function traced<T>(name: string, facts: SpanFacts, work: (span: OpenSpan) => Promise<T>): Promise<T> {
  const { kind = 'internal', attributes = {}, follows, startedAt } = facts
  const options = {
    kind: kinds[kind],
    attributes,
    links: (follows?.others ?? []).flatMap((other) => contextOf(other) ?? []).map((context) => ({ context })),
    ...(startedAt !== undefined && { startTime: startedAt }),
  }
  return tracer.startActiveSpan(name, options, parentOf(follows), async (span) => {
    try {
      return await work(opened(span))
    } catch (error) {
      fail(span, describeError(error).code)
      throw error
    } finally {
      span.end()
    }
  })
}

/** The traceparent of the current span, for other processes; `undefined` without tracing. */
export function currentTraceparent(): string | undefined {
  const here = activeSpan()?.spanContext()
  if (here === undefined || !isSpanContextValid(here)) return undefined
  return `00-${here.traceId}-${here.spanId}-${here.traceFlags.toString(16).padStart(2, '0')}`
}

/** Adds attributes and links to the current span. */
export function describeSpan(attributes: SpanAttributes, others: readonly (string | undefined)[] = []): void {
  const span = activeSpan()
  if (span === undefined) return
  span.setAttributes(attributes)
  for (const context of others.flatMap((other) => contextOf(other) ?? [])) span.addLink({ context })
}

/** Adds an event to the current span. */
export function noteInSpan(name: string, attributes: SpanAttributes): void {
  activeSpan()?.addEvent(name, attributes)
}

function activeSpan(): Span | undefined {
  return isTracing ? trace.getActiveSpan() : undefined
}

function opened(span: Span): OpenSpan {
  return {
    describe(read) {
      if (span.isRecording()) span.setAttributes(read())
    },
    fail: (code) => fail(span, code),
  }
}

function fail(span: Span, code: string): void {
  span.setAttribute('error.type', code)
  span.setStatus({ code: SpanStatusCode.ERROR })
}

function parentOf(follows: SpanFacts['follows']) {
  if (follows === undefined) return context.active()
  const parent = contextOf(follows.traceparent)
  return parent === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, parent)
}

function contextOf(traceparent: string | undefined) {
  const read = readTraceparent(traceparent)
  return read && { ...read, isRemote: true }
}
