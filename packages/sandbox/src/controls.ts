import { type AccessControls, accessControlRoutes, accessControls } from './access/controls.ts'
import { type CaseControls, caseControlRoutes, caseControls } from './cases/controls.ts'
import type { SignedFiles } from './files/signed-files.ts'
import type { Control } from './platform/control.ts'
import { type PlatformControls, platformControlRoutes, platformControls } from './platform/controls.ts'
import {
  type PriorAuthorizationControls,
  priorAuthorizationControlRoutes,
  priorAuthorizationControls,
} from './prior-authorization/controls.ts'
import { type ProviderControls, providerControlRoutes, providerControls } from './provider/controls.ts'
import {
  type ProviderOutreachControls,
  providerOutreachControlRoutes,
  providerOutreachControls,
} from './provider-outreach/controls.ts'
import { requestControlRoutes, requestControls, type RequestControls } from './requests/controls.ts'
import type { RequestLog } from './requests/request-log.ts'
import { type ResetControl, resetRoutes } from './reset.ts'
import { type ResourceControls, resourceControlRoutes, resourceControls } from './resource-controls.ts'
import type { ResourceKinds } from './resource-kinds.ts'
import type { Truth } from './truth.ts'
import { type WebhookControls, webhookControlRoutes, webhookControls } from './webhooks/controls.ts'
import type { EmittedEvent } from './webhooks/webhooks.ts'

/** Every control of a sandbox. An illegal call throws a `Refusal` whose message names the legal values. */
export type Controls = ResourceControls &
  AccessControls &
  CaseControls &
  PlatformControls<EmittedEvent> &
  PriorAuthorizationControls &
  ProviderControls &
  ProviderOutreachControls &
  RequestControls &
  ResetControl &
  WebhookControls

type Parts = Parameters<typeof accessControls>[0] &
  Parameters<typeof caseControls>[0] &
  Omit<Parameters<typeof platformControls>[0], 'recordEvents'> &
  Omit<Parameters<typeof webhookControls>[0], 'registry'> &
  ResetControl & {
    kinds: ResourceKinds
    files: Pick<SignedFiles, 'sign'>
    requests: RequestLog
  }

export function createControls(deps: Parts): Controls {
  const { kinds, files, organizations, webhooks } = deps
  const { priorAuthorizations, outreaches, providerAuthorizations } = kinds
  const { recordEvents } = webhooks
  return {
    reset: deps.reset,
    ...resourceControls(kinds, recordEvents),
    ...accessControls(deps),
    ...caseControls(deps),
    ...platformControls({ ...deps, recordEvents }),
    ...webhookControls({ ...deps, registry: organizations }),
    ...priorAuthorizationControls(priorAuthorizations, recordEvents),
    ...requestControls(deps.requests),
    ...providerControls({ organizations, providerAuthorizations }),
    ...providerOutreachControls({ list: (id) => files.sign(outreaches.list(priorAuthorizations.get(id).id)) }),
  }
}

/** The controls over HTTP under `/_sandbox/`. They need no token, so by default the sandbox listens only on loopback. */
export function controlRoutes(deps: { controls: Controls; seed: number; truth: () => Truth }): Control[] {
  const { controls, seed, truth } = deps
  return [
    ...resourceControlRoutes(controls, truth),
    ...caseControlRoutes(controls),
    ...priorAuthorizationControlRoutes(controls),
    ...providerOutreachControlRoutes(controls),
    ...webhookControlRoutes(controls),
    ...requestControlRoutes(controls),
    ...platformControlRoutes(controls, seed),
    ...accessControlRoutes(controls),
    ...providerControlRoutes(controls),
    ...resetRoutes(controls),
  ]
}
