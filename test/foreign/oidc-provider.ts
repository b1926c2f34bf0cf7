import type { AsyncLocalStorage } from 'node:async_hooks'
import type { RequestListener } from 'node:http'
import { foreign } from './load.ts'

/** Of a request, by Koa. */
interface Context {
  path: string
  status: number
  body: unknown
  get(header: string): string
}

interface Grant {
  addOIDCScope(scope: string): void
  save(): Promise<string>
}

/** The part of an oidc-provider that the tests use. */
interface Provider {
  callback(): (...of: Parameters<RequestListener>) => Promise<void>
  use(middleware: (context: Context, next: () => Promise<void>) => Promise<void>): void
  interactionDetails(...of: Parameters<RequestListener>): Promise<{ params: Record<string, unknown> }>
  interactionFinished(...of: [...Parameters<RequestListener>, result: object]): Promise<void>
  Grant: new (of: { accountId: string; clientId: string }) => Grant
  ClientCredentials: { find(token: string): Promise<{ isValid: boolean } | undefined> }
}

const library = await foreign<{ Provider: new (issuer: string, settings: object) => Provider }>('oidc-provider')
// Its module exports nothing else.
const requests = await foreign<{ default: AsyncLocalStorage<unknown> }>('oidc-provider/lib/helpers/als.js')

/** Whether it is installed. */
export const hasProvider = library !== undefined

/** A provider of tokens, to be served by its `callback`. */
export function createProvider(issuer: string, settings: object): Provider {
  if (library === undefined) throw new Error('The tests that need it are skipped.')
  return new library.Provider(issuer, settings)
}

/** Ends the contexts of its requests: with them every promise of the process takes three times as long, also after its server closed. */
export function endContexts(): void {
  requests?.default.disable()
}
