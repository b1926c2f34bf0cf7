import { setTimeout as sleep } from 'node:timers/promises'
import type { SpanExporter } from '@opentelemetry/sdk-trace-node'
import type { Log } from '../log.ts'
import { ownPackage } from '../own-package.ts'
import { traceSpans } from './span.ts'

/** The export of this process's spans to a collector. */
export interface Tracing {
  /** Flushes remaining spans, for at most a second. */
  close(): Promise<void>
}

/** Time limit of the final flush, in milliseconds. */
const flushMs = 1_000

/** Sends the spans of this process to a collector (OTLP over HTTP). OpenTelemetry's own code reads its variables from the environment; without an endpoint none of it is loaded. A collector that is down delays nothing and is logged once. */
export async function startTracing({ endpoint, log }: { endpoint: string | undefined; log: Log }): Promise<Tracing> {
  if (endpoint === undefined) return { close: () => Promise.resolve() }
  const [{ BatchSpanProcessor, NodeTracerProvider }, { OTLPTraceExporter }, resources] = await Promise.all([
    import('@opentelemetry/sdk-trace-node'),
    import('@opentelemetry/exporter-trace-otlp-http'),
    import('@opentelemetry/resources'),
  ])
  const { detectResources, envDetector, resourceFromAttributes } = resources
  const own = resourceFromAttributes({ 'service.name': 'pawl', 'service.version': ownPackage().version })
  const provider = new NodeTracerProvider({
    // The environment takes precedence.
    resource: own.merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [new BatchSpanProcessor(withOutageLog(new OTLPTraceExporter(), { endpoint, log }))],
  })
  // Trace headers of incoming and outgoing requests are left alone.
  provider.register({ propagator: null })
  traceSpans()
  log.info({ component: 'tracing', address: new URL(endpoint).host }, 'sending traces')
  return {
    async close() {
      const stopWaiting = new AbortController()
      const late = sleep(flushMs, undefined, { signal: stopWaiting.signal })
      await Promise.race([provider.shutdown(), late]).catch(() => undefined)
      stopWaiting.abort()
      await late.catch(() => undefined)
    },
  }
}

/** The same exporter, which logs when it starts to fail and when it recovers. */
function withOutageLog(exporter: SpanExporter, { endpoint, log }: { endpoint: string; log: Log }): SpanExporter {
  const about = { component: 'tracing', address: new URL(endpoint).host }
  let isFailing = false
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        const hasFailed = result.error !== undefined
        if (hasFailed && !isFailing)
          log.warn({ ...about, error: result.error }, 'traces are lost: the collector does not take them')
        if (!hasFailed && isFailing) log.info(about, 'the collector takes traces again')
        isFailing = hasFailed
        done(result)
      })
    },
    forceFlush: () => exporter.forceFlush?.() ?? Promise.resolve(),
    shutdown: () => exporter.shutdown(),
  }
}
