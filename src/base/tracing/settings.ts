import { z } from 'zod'
import { tracingPackages } from '../optional-packages.ts'
import { type GivenSettings, httpAddress, number, oneOf } from '../setting-types.ts'

/** Where traces go. All but the first are read from the environment by OpenTelemetry's own code. */
export const tracingSettings = {
  OTEL_EXPORTER_OTLP_ENDPOINT: httpAddress
    .optional()
    .describe('Where traces go, over OTLP/HTTP, such as http://127.0.0.1:4318; without it there are none'),
  OTEL_EXPORTER_OTLP_HEADERS: z
    .string()
    .optional()
    .describe('What the collector asks for, such as authorization=Bearer%20<token>, separated by commas'),
  OTEL_SERVICE_NAME: z.string().optional().describe('What traces call this process: pawl unless set'),
  OTEL_TRACES_SAMPLER: oneOf([
    'always_on',
    'always_off',
    'traceidratio',
    'parentbased_always_on',
    'parentbased_always_off',
    'parentbased_traceidratio',
  ])
    .optional()
    .describe('Which journeys are traced: all unless set; parentbased_traceidratio takes a share of them'),
  OTEL_TRACES_SAMPLER_ARG: number(0, 1).optional().describe('That share, from 0 to 1'),
}

export function checkTracing({ given, installed }: GivenSettings<keyof typeof tracingSettings>): void {
  if (given.OTEL_EXPORTER_OTLP_ENDPOINT !== undefined) installed('OTEL_EXPORTER_OTLP_ENDPOINT', tracingPackages)
}
