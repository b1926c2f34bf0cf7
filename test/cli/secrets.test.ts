import { expect, it } from 'vitest'
import { readSecrets } from '../../src/cli/doctor/secrets.ts'
import { Environment } from '../../src/settings/environment.ts'
import { connectorsSettings } from '../support/shipped-integration.ts'

const schemas = { ...Environment.shape, ...connectorsSettings }

/** Settings with such a name that hold an address, a path, a header's name or a public key. */
const harmless = ['FHIR_KEY_FILES', 'HL7_KEY_FILE', 'FHIR_TOKEN_URL', 'PHARMACY_HOST_KEY', 'PHARMACY_SSH_KEY_FILE']

it('doctor hides the value of every setting that is named as a secret, and of the address that lets anyone post', () => {
  const named = Object.keys(schemas).filter((name) => /SECRET|TOKEN|PASSWORD|KEY/.test(name))
  const secret = [...named.filter((name) => !harmless.includes(name)), 'ALERT_URL', 'OTEL_EXPORTER_OTLP_HEADERS']
  const found = readSecrets(Object.fromEntries(secret.map((name) => [name, `value-of-${name}`])), schemas)
  expect(found.map(({ setting }) => setting).toSorted()).toEqual(secret.toSorted())
})
