/** Settings with which the shipped connectors and the client of the service authenticate. */
const credentialSettings: readonly [system: string, setting: string][] = [
  ['api', 'API_TOKEN'],
  ['ehr', 'FHIR_TOKEN'],
  ['ehr', 'FHIR_KEY_FILES'],
  ['pharmacy', 'PHARMACY_SECRET'],
  ['pharmacy', 'PHARMACY_PASSWORD'],
]

/** Name of the setting that authenticates pawl, by system, if one is set. */
export function credentialsAmong(settings: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(credentialSettings.filter(([, setting]) => settings[setting] !== undefined))
}
