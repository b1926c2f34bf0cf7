import { z } from 'zod'
import { control, type Control } from '../platform/control.ts'
import { readControl } from '../platform/read-control.ts'
import type { ResourceControl } from '../platform/resource-control.ts'
import type { ProviderOutreaches } from './provider-outreaches.ts'
import type { ProviderOutreachResource } from 'pawl-client/schemas/provider-outreach'

/** Controls over provider outreach. */
export interface ProviderOutreachControls {
  /** The outreach attempts of a PA, as their events show them. */
  outreach(priorAuthorizationId: string): ProviderOutreachResource[]
}

export function providerOutreachControls(outreaches: Pick<ProviderOutreaches, 'list'>): ProviderOutreachControls {
  return { outreach: outreaches.list }
}

/** A control's push of an attempt. */
export const ProviderOutreachPush = z.strictObject({ status: z.string().min(1) })

/** The control of single attempts. */
export function providerOutreachControl(outreaches: ProviderOutreaches): ResourceControl {
  return {
    has: outreaches.has,
    push: (id, request) => outreaches.push(id, readControl(ProviderOutreachPush, request).status),
    cancel: (id) => outreaches.push(id, 'cancelled'),
  }
}

export const providerOutreachControlRoutes = (controls: ProviderOutreachControls): Control[] => [
  control('GET /prior-authorization/:id/outreach', { summary: 'List the outreach attempts of a PA' }, ({ id }) =>
    controls.outreach(id),
  ),
]
