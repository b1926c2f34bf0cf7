import type { Sandbox } from '../src/sandbox.ts'

/** The part of Express' own list of handlers that tells where routers hang. Its types do not show it. */
interface Layer {
  rawPath: string
  handle: { stack?: { route?: { path: string; stack: { method: string }[] } }[] }
}

/** Every route of the routers that hang at the prefix, as `METHOD /path/:parameter` below it. */
export function routesBelow({ app }: Sandbox, prefix: string): string[] {
  return (app.router.stack as unknown as Layer[])
    .filter(({ rawPath }) => rawPath === prefix)
    .flatMap(({ handle }) => handle.stack ?? [])
    .flatMap(({ route }) => (route?.stack ?? []).map(({ method }) => `${method.toUpperCase()} ${route?.path}`))
}
