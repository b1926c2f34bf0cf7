import { createFhirEhr } from '../../packages/ehr/src/fhir/fhir-ehr.ts'
import { createMemoryPharmacy } from '../../packages/pharmacy/src/memory/memory-pharmacy.ts'
import { readConfig } from '../../src/settings/read-config.ts'
import { type Gateway, startGateway } from '../../src/gateway.ts'
import integration from '../../src/integration/index.ts'
import { systemsOf } from '../../src/work/integration.ts'
import { createLog, type Log } from '../../packages/base/src/log.ts'
import { secret } from '../envelopes.ts'
import { answerParent } from './answer-parent.ts'
import { createRecordingEhr } from './recording-ehr.ts'

/** pawl itself, with chart and pharmacy in memory; FHIR_BASE_URL names another chart. HANDLERS names those that are to be active; default all that pawl ships. */
const { HANDLERS, ...env } = process.env
const config = readConfig(
  {
    ROLE: 'receiver',
    PORT: '0',
    ADMIN_PORT: '0',
    LOG_LEVEL: 'error',
    WEBHOOK_SECRETS: secret,
    API_TOKEN: 'token',
    ...env,
  },
  integration.settings,
)
const identifierBase = 'https://pawl.example/identifiers'
const chart = createRecordingEhr(
  env.FHIR_BASE_URL === undefined ? undefined : createFhirEhr({ baseUrl: env.FHIR_BASE_URL, identifierBase }),
)
const writesOf: Record<string, number> = {}
const { handlers } = integration
const active = HANDLERS === undefined ? handlers : handlers.filter(({ name }) => HANDLERS.split(',').includes(name))
const gateway: Gateway = await startGateway(config, integration, {
  systems: { ...systemsOf(integration, config.settings), ehr: chart.ehr, pharmacy: createMemoryPharmacy() },
  handlers: active,
  log: watch(createLog({ level: config.logLevel })),
})
answerParent({ ...chart.questions, counts: () => gateway.ledger.counts(), writes: () => writesOf })
process.send?.({ port: Number(new URL(gateway.url ?? gateway.adminUrl).port), adminUrl: gateway.adminUrl })
process.once('SIGTERM', () => void gateway.close().then(() => process.disconnect?.()))

/** The line "handled" is written once a run is recorded: from then on its handler is in sync. */
function watch(log: Log): Log {
  return {
    ...log,
    info(fields, message) {
      if (message === 'handled') {
        chart.noteDone()
        writesOf[fields.handler ?? ''] = (writesOf[fields.handler ?? ''] ?? 0) + (fields.count ?? 0)
      }
      log.info(fields, message)
    },
  }
}
