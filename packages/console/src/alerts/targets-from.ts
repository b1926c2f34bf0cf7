import type { Clock } from '@pawl/base/clock'
import { leanFetch } from '@pawl/base/net/fetch'
import { createEmailTarget } from './email-target.ts'
import type { AlertTarget } from './target.ts'
import { createUrlTarget } from './url-target.ts'

/** The settings of the targets. */
export interface TargetSettings {
  url: { address: string; secrets: readonly string[] } | undefined
  email: { to: readonly string[]; from: string; smtpUrl: string } | undefined
}

export async function targetsFrom({ url, email }: TargetSettings, clock: Clock): Promise<AlertTarget[]> {
  return [
    ...(url === undefined ? [] : [createUrlTarget({ ...url, fetch: leanFetch, clock })]),
    ...(email === undefined ? [] : [await createEmailTarget(email)]),
  ]
}
