import request from 'supertest'
import { onTestFinished } from 'vitest'
import { type Receiver, startReceiver } from './start-receiver.ts'
import type { SandboxOptions } from '../src/options.ts'
import { type Detours, noDetours } from '../src/platform.ts'
import { createSandbox, type Sandbox } from '../src/sandbox.ts'
import type { WebhookSettings } from '../src/webhooks/settings.ts'

/** Every detour is as likely as not. */
export const evenDetours: Detours = {
  awaitingProviderResponse: 0.5,
  validatingOutcome: 0.5,
  transferAwaitingProvider: 0.5,
  transferRetry: 0.5,
  transferError: 0.5,
}

/** A sandbox over HTTP that is closed after the test. Time stands still unless told otherwise, and no PA takes a detour. */
export async function startSandbox(options: SandboxOptions = {}) {
  const sandbox = createSandbox({
    speed: 0,
    seed: 7,
    detours: noDetours,
    ...options,
  })
  onTestFinished(() => sandbox.close())
  return { sandbox, ...(await asOrganization(sandbox)) }
}

/** Calls with the token of one organization. */
export async function asOrganization(sandbox: Sandbox, organization?: string) {
  const authorization = `Bearer ${await sandbox.issueToken(organization)}`
  const call = (method: 'get' | 'post' | 'patch', path: string, body?: object) =>
    request(sandbox.app)[method](path).set({ authorization, host: 'sandbox.test' }).send(body)
  const create = async (path: string, body: object): Promise<string> => {
    const { body: answer } = await call('post', path, body).expect(200)
    return answer.data.id
  }
  const read = async (path: string) => (await call('get', path).expect(200)).body.data
  return { call, create, read }
}

/** A control over HTTP. */
export function control(sandbox: Sandbox, method: 'get' | 'post' | 'put', path: string, body?: object) {
  return request(sandbox.app)[method](`/_sandbox${path}`).send(body)
}

/** An organization's webhook with a receiver behind it that is closed after the test. */
export async function startWebhook(
  settings: Partial<WebhookSettings> = {},
): Promise<{ receiver: Receiver; webhook: WebhookSettings }> {
  const receiver = await startReceiver()
  onTestFinished(() => receiver.close())
  return { receiver, webhook: { name: 'main', url: receiver.url, secret: 'a-secret-of-the-tests', ...settings } }
}

/** Runs every scheduled transition, and lists the statuses that the PA went through. */
export async function stepThrough(sandbox: Sandbox, read: () => Promise<{ status: string }>): Promise<string[]> {
  const seen = [(await read()).status]
  while (sandbox.controls.step() !== undefined) {
    const { status } = await read()
    if (status !== seen.at(-1)) seen.push(status)
  }
  return seen
}
