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

/** What spans say: ids, codes and numbers, by the names of the semantic conventions of OpenTelemetry or names that begin with `pawl.`; never what could be about a patient, such as the query of an address. */
export type SpanAttributes = Record<string, string | number | undefined>

export interface SpanFacts {
  /** Default: `internal`. */
  kind?: 'internal' | 'server' | 'client' | 'producer' | 'consumer'
  attributes?: SpanAttributes
  /** The trace that it goes on with, and those that it is linked to; with an absent `traceparent` it begins one. Default: the span that is under way. */
  follows?: { traceparent?: string | undefined; others?: readonly (string | undefined)[] }
  /** Where it began before now: milliseconds since 1970. */
  startedAt?: number
}

/** A span that is under way. */
export interface OpenSpan {
  /** Adds what is known by now; `read` is only called where somebody records it. */
  describe(read: () => SpanAttributes): void
  /** Marks it as failed, with a code. */
  fail(code: string): void
}

const kinds = {
  internal: SpanKind.INTERNAL,
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
} as const

/** Stands for what the process registers. */
const tracer = trace.getTracer('pawl')

/** Of the process, as what is registered with OpenTelemetry is: asked for every span, it must cost nothing. */
let isTracing = false

/** Has spans recorded from now on; until then, work that is done within one is only done. */
export function traceSpans(): void {
  isTracing = true
}

/** Stands for a span where nothing is traced. */
const unrecorded: OpenSpan = { describe() {}, fail() {} }

/** Does the work within a span, which ends when the work does; the code of what is thrown marks it as failed. */
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

/** What names the span that is under way to other processes; `undefined` where nothing is traced. */
export function currentTraceparent(): string | undefined {
  const here = activeSpan()?.spanContext()
  if (here === undefined || !isSpanContextValid(here)) return undefined
  return `00-${here.traceId}-${here.spanId}-${here.traceFlags.toString(16).padStart(2, '0')}`
}

/** Adds to the span that is under way what is known by now. */
export function describeSpan(attributes: SpanAttributes, others: readonly (string | undefined)[] = []): void {
  const span = activeSpan()
  if (span === undefined) return
  span.setAttributes(attributes)
  for (const context of others.flatMap((other) => contextOf(other) ?? [])) span.addLink({ context })
}

/** Notes in the span that is under way that something happened. */
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
