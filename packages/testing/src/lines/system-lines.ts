import type { Services } from '../services/start-services.ts'
import { type Line, type LineOptions, startLine } from './line.ts'
import type { SystemName as AnySystem } from './line-faults.ts'

/** The systems of pawl's own connectors. */
type SystemName = Exclude<AnySystem, 'own'>

/** Observes, and may change, requests of pawl and answers of its systems. */
export type Taps = Partial<Record<SystemName, Pick<LineOptions, 'before' | 'after' | 'edit' | 'kill'>>>

/** A line to each system of one pawl. */
export interface Lines {
  lines: Record<SystemName, Line>
  /** Settings that route one start of pawl through the lines. */
  settingsFor(this: void, generation: number): Record<string, string>
  close(this: void): Promise<void>
}

/** Starts the lines. */
export async function startLines(
  { sandbox, fhir, pharmacy }: Pick<Services, 'sandbox' | 'fhir' | 'pharmacy'>,
  taps: Taps,
): Promise<Lines> {
  const targets = { service: new URL(sandbox.url), chart: new URL(fhir.url), pharmacy: new URL(pharmacy.url) }
  const start = (system: SystemName) => startLine({ system, target: targets[system].origin, ...taps[system] })
  const [service, chart, desk] = await Promise.all([start('service'), start('chart'), start('pharmacy')])
  return {
    lines: { service, chart, pharmacy: desk },
    settingsFor: (generation) => ({
      API_BASE_URL: service.url(generation),
      FHIR_BASE_URL: `${chart.url(generation)}${targets.chart.pathname}`,
      PHARMACY_URL: `${desk.url(generation)}${targets.pharmacy.pathname}`,
    }),
    close: async () => void (await Promise.all([service, chart, desk].map((line) => line.close()))),
  }
}
