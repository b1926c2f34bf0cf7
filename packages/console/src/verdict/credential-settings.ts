/** Settings by which a shipped connector, or the client of the service, is let in. */
const credentialSettings: readonly [system: string, setting: string][] = [
  ['api', 'API_TOKEN'],
  ['ehr', 'FHIR_TOKEN'],
  ['ehr', 'FHIR_KEY_FILES'],
  ['pharmacy', 'PHARMACY_SECRET'],
  ['pharmacy', 'PHARMACY_PASSWORD'],
]

/** The setting that lets pawl in, by system, as far as one is set; its name alone. */
export function credentialsAmong(settings: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(credentialSettings.filter(([, setting]) => settings[setting] !== undefined))
}
