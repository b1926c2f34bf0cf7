import { z } from 'zod'
import { tracingPackages } from '../optional-packages.ts'
import { type GivenSettings, httpAddress, number, oneOf } from '../setting-types.ts'

/** Settings of traces. OpenTelemetry's own code reads all but the first from the environment. */
export const tracingSettings = {
  OTEL_EXPORTER_OTLP_ENDPOINT: httpAddress
    .optional()
    .describe('Address that traces are sent to, over OTLP/HTTP, such as http://127.0.0.1:4318; absent: no traces'),
  OTEL_EXPORTER_OTLP_HEADERS: z
    .string()
    .optional()
    .describe('Headers for the collector, such as authorization=Bearer%20<token>, separated by commas'),
  OTEL_SERVICE_NAME: z.string().optional().describe('Name of this process in traces; absent: pawl'),
  OTEL_TRACES_SAMPLER: oneOf([
    'always_on',
    'always_off',
    'traceidratio',
    'parentbased_always_on',
    'parentbased_always_off',
    'parentbased_traceidratio',
  ])
    .optional()
    .describe('Sampling of traces; absent: all; parentbased_traceidratio samples a share'),
  OTEL_TRACES_SAMPLER_ARG: number(0, 1).optional().describe('Share of sampled traces, from 0 to 1'),
}

export function checkTracing({ given, installed }: GivenSettings<keyof typeof tracingSettings>): void {
  if (given.OTEL_EXPORTER_OTLP_ENDPOINT !== undefined) installed('OTEL_EXPORTER_OTLP_ENDPOINT', tracingPackages)
}
