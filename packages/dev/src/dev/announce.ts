import { devSettingsFile } from '../../../../src/cli/development-settings.ts'
import { pawlCommand } from '@pawl/base/project-folder'
import type { StartedServices } from '@pawl/testing/services/start-services'

/** Max days from a PA's creation to its outcome. */
const paSandboxDays = 2

/** Text printed after the start: the pages to open, other addresses, and how to create a first PA. The settings for other terminals hold secrets: where there are keys, one shows them. */
export function announce({
  services: { sandbox, settings, left },
  prescription,
  webhookUrl,
  adminUrl,
  replaced,
  speed,
  block,
  hasKeys,
}: {
  services: Pick<StartedServices, 'sandbox' | 'settings' | 'left'>
  /** A prescription in the chart to start from. */
  prescription?: string | undefined
  webhookUrl: string
  adminUrl: string
  /** Given settings that those of what is started here replace. */
  replaced: readonly string[]
  speed: number
  block: string
  hasKeys: boolean
}): string {
  const pawl = pawlCommand()
  const pages = [
    ['console', `${adminUrl}/`],
    ...(sandbox === undefined ? [] : [['sandbox', `${sandbox.url}/_sandbox/`]]),
  ]
  const addresses = [
    ['webhooks', webhookUrl],
    ...(sandbox === undefined ? [] : [['the service, reference', `${sandbox.url}/docs`]]),
    ...(left.includes('FHIR_BASE_URL') ? [] : [['FHIR R4 server', `${settings.FHIR_BASE_URL}/Task`]]),
    ...(left.includes('PHARMACY_URL') ? [] : [['pharmacy', settings.PHARMACY_URL]]),
  ]
  const lines = [
    ...pages.map(([name = '', address]) => `  ${name.padEnd(22)} ${address}`),
    '',
    ...addresses.map(([name = '', address]) => `  ${name.padEnd(22)} ${address}`),
    ...left.map((name) => `  ${name} is set, so nothing is started in its place.`),
    ...replaced.map((name) => `  ${name} as you set it is not used: what is started here has its own.`),
    '',
    ...(hasKeys ? [] : [settingsOf(block)]),
  ]
  if (sandbox !== undefined)
    lines.push(
      `Time in the sandbox runs ${speed} times as fast: a PA ends within about ${secondsOf(speed)}.`,
      `A first PA, from another terminal:  ${pawl} play pa`,
    )
  if (sandbox !== undefined && prescription !== undefined)
    lines.push(`One from the chart:                 ${pawl} start pa --medication-request ${prescription}`)
  if (hasKeys)
    lines.push(
      `Keys here: ${sandbox === undefined ? '' : 'p a first PA, b a BV, '}r restarts pawl, s the settings for other terminals, q to quit`,
    )
  return `${lines.join('\n')}\n\n`
}

/** The settings of a run, which commands in other terminals take from their file. */
export function settingsOf(block: string): string {
  return `Settings of this run, for other terminals (while it lasts they are in ${devSettingsFile}, and pawl's own commands take them from there):\n\n${block}`
}

function secondsOf(speed: number): string {
  if (speed === 0) return 'never: time is stopped'
  return `${Math.max(1, Math.round((paSandboxDays * 86_400) / speed))} s`
}
