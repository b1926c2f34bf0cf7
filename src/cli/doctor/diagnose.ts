import { ConfigInvalid, describeError } from '@pawl/base/errors'
import { integrationFile } from '@pawl/base/integration-file'
import { settingAtFault } from '../../settings/parse-settings.ts'
import { type Config, inspectConfig, type InspectedConfig } from '../../settings/read-config.ts'
import { connectorOf } from '@pawl/connector/connector-settings'
import type { SystemsByName } from '@pawl/connector/system'
import { checkIntegration } from '../../work/check-integration.ts'
import { type AnyIntegration, systemsOf } from '../../work/integration.ts'
import { examineIntegration } from './examine-integration.ts'
import { examineLedger } from './examine-ledger.ts'
import { examineNode } from './examine-node.ts'
import { examinePorts } from './examine-ports.ts'
import { examineQueue } from './examine-queue.ts'
import { examineSecrets } from './examine-secrets.ts'
import { examineService } from './examine-service.ts'
import { examineSettings } from './examine-settings.ts'
import { examineSystems, withoutSystemsAtFault } from './examine-systems.ts'
import { fail, type Finding, warn } from './finding.ts'
import { hideSecrets } from './hide-secrets.ts'
import { readSecrets } from './secrets.ts'

/** All findings, secrets removed. */
export interface Diagnosis {
  findings: Finding[]
  /** Whether pawl would refuse to start with these settings. */
  hasWrongSettings: boolean
  /** The valid settings. */
  config: Config
  /** Names of the systems of the integration. */
  systems: readonly string[]
}

/** Checks every part of a set-up, even after another part fails, and changes nothing. */
export async function diagnose(
  env: Record<string, string | undefined>,
  integration: AnyIntegration,
): Promise<Diagnosis> {
  const { config, faults } = inspect(env, integration)
  const schemas = { ...config.schemas, ...integration.settings }
  const isRight = (...names: string[]) => !faults.some((fault) => names.includes(settingAtFault(fault)))
  const secrets = readSecrets(env, schemas)
  const forSystems = inspect(withoutSystemsAtFault(env, faults, schemas), integration).config
  const { systems, handlers, fault } = readSystems(integration, forSystems, faults)

  const service = config.api
  const looks: [area: string, look: () => Promise<Finding[]> | Finding[]][] = [
    ['node', () => [examineNode(process.versions.node)]],
    ['integration', () => [examineIntegration()]],
    ['settings', () => [...examineSettings({ config, faults }), ...fault]],
    ['secrets', () => examineSecrets(secrets, schemas)],
    ['service', () => (service === undefined ? [] : examineService(service))],
    ['ledger', () => (isRight('DATABASE_URL', 'SEALING_KEYS') ? examineLedger(config, handlers) : [])],
    ['queue', () => (isRight('QUEUE_URL', 'DATABASE_URL', 'ROLE') ? examineQueue(config) : [])],
    ['ports', () => (isRight('ROLE', 'HOST', 'PORT', 'ADMIN_HOST', 'ADMIN_PORT') ? examinePorts(config) : [])],
    ['systems', () => examineSystems(systems, { faults, schemas })],
  ]
  const findings = await Promise.all(looks.map(([area, look]) => lookAt(area, look)))
  return {
    findings: hideSecrets(findings.flat(), secrets),
    hasWrongSettings: faults.length > 0 || fault.length > 0,
    config,
    systems: Object.keys(systems),
  }
}

/** A check that throws does not stop the others. */
async function lookAt(area: string, look: () => Promise<Finding[]> | Finding[]): Promise<Finding[]> {
  try {
    return await look()
  } catch (error) {
    const { code, message } = describeError(error)
    return [fail(area, `The check failed: ${code}: ${message}.`, 'Report this as a defect of pawl.')]
  }
}

function inspect(env: Record<string, string | undefined>, { settings }: AnyIntegration): InspectedConfig {
  try {
    return inspectConfig(env, settings)
  } catch (error) {
    if (!(error instanceof ConfigInvalid)) throw error
    const ofConnectors = Object.entries(settings).filter(([, schema]) => connectorOf(schema) !== undefined)
    const { config, faults } = inspectConfig(env, Object.fromEntries(ofConnectors))
    return { config, faults: [error.message.replace(/\.$/, ''), ...faults] }
  }
}

interface Parts {
  systems: SystemsByName
  handlers: AnyIntegration['handlers']
  fault: Finding[]
}

/** The usable parts of the integration; its systems may fail to start on wrong settings. */
function readSystems(integration: AnyIntegration, { settings }: Config, faults: readonly string[]): Parts {
  const { handlers } = integration
  let systems: SystemsByName = {}
  try {
    systems = systemsOf(integration, settings)
    checkIntegration({ systems, handlers })
    return { systems, handlers, fault: [] }
  } catch (error) {
    const fault =
      faults.length > 0
        ? warn('systems', 'Not checked, since settings are wrong.', 'Correct those, then run this again.')
        : fail(
            'settings',
            describeError(error).message,
            `Correct what this names; the integration is in ${integrationFile()}.`,
          )
    return { systems, handlers, fault: [fault] }
  }
}
