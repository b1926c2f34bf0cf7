import { afterEach, describe, expect, it } from 'vitest'
import { createPawlHost, type PawlHost } from '../../src/conformance/pawl-host.ts'
import { runConformance } from '../../src/conformance/run-conformance.ts'
import type { ConnectorFault } from './wrong/connectors.ts'
import type { HandlerFault } from './wrong/handlers.ts'

/** Which rule is to catch which fault. */
const caughtBy: Record<HandlerFault | ConnectorFault, string> = {
  'writes the payload': 'order-kept',
  'is not idempotent': 'no-effect-twice',
  'swallows errors': 'in-step',
  'keeps state in memory': 'survives-restart',
  'logs a name': 'no-patient-data',
  'names a patient in an error': 'no-patient-data',
  'ignores the signal': 'stops-in-time',
  'updates by search without checking': 'own-resources',
  'overwrites what staff wrote': 'no-lost-update',
  'relies on order': 'order-kept',
  'never closes its task': 'in-step',
  'sends on every run': 'no-effect-twice',
  'blocks the loop': 'free-loop',
  'asks the service again and again': 'bounded-reads',
  'goes around the rate limit': 'rate-limits',
  'fails on unknown values': 'unknown-tolerated',
  'leaves an error uncaught': 'keeps-running',
  'deletes what it finds': 'own-resources',
  'names each attempt anew': 'no-effect-twice',
  'counts in memory': 'survives-restart',
}

let host: PawlHost | undefined
afterEach(() => host?.close())

describe('the quick profile catches an integration that', () => {
  it.each(Object.entries(caughtBy))('%s, by %s', async (fault, rule) => {
    const url = new URL('wrong/integration.ts', import.meta.url)
    url.searchParams.set('fault', fault)
    host = createPawlHost({ integrationUrl: url.href, environment: process.env })
    const { signal } = new AbortController()
    const lines: string[] = []
    const { failure } = await runConformance({
      deps: { host, seed: 1, env: {}, signal },
      profile: 'quick',
      minutes: undefined,
      only: undefined,
      shrinks: false,
      print: (line) => lines.push(line),
    })
    expect(failure?.rule, lines.join('\n')).toBe(rule)
  })
})
