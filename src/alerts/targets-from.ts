import type { Clock } from '../clock.ts'
import { leanFetch } from '../fetch.ts'
import { createEmailTarget } from './email-target.ts'
import { createSlackTarget } from './slack-target.ts'
import type { AlertTarget } from './target.ts'
import { createUrlTarget } from './url-target.ts'

/** Where the settings say that alerts go. */
export interface TargetSettings {
  url: { address: string; secrets: readonly string[] } | undefined
  slack: string | undefined
  email: { to: readonly string[]; from: string; smtpUrl: string } | undefined
}

/** The targets of these settings. */
export function targetsFrom({ url, slack, email }: TargetSettings, clock: Clock): AlertTarget[] {
  return [
    ...(url === undefined ? [] : [createUrlTarget({ ...url, fetch: leanFetch, clock })]),
    ...(slack === undefined ? [] : [createSlackTarget({ address: slack, fetch: leanFetch })]),
    ...(email === undefined ? [] : [createEmailTarget(email)]),
  ]
}
