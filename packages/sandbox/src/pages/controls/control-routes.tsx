import { type Request, Router } from 'express'
import { z } from 'zod'
import { sendHtml } from '@pawl/base/pages/send-html'
import type { Controls } from '../../controls.ts'
import type { Control } from '../../platform/control.ts'
import { codedRefusal } from '../../platform/refusal.ts'
import { callItself, type SandboxAnswer } from '../call-itself.ts'
import { pretty } from '../pretty.ts'
import { bodySchemaOf, formsOf, valueFrom } from './control-fields.ts'
import { ControlPage, ControlsPage, nameOfControl } from './controls-page.tsx'

const Query = z.record(z.string(), z.unknown())
const Form = z.looseObject({ form: z.coerce.number().int().nonnegative().catch(0) })
const Shown = z.object({ data: z.unknown() })

/** The list of controls, and for each control its forms, made from its schemas. A form calls the control as a program would. */
export function controlPageRoutes(deps: { controls: Pick<Controls, 'listOrganizations'>; routes: readonly Control[] }) {
  const { controls, routes } = deps
  const router = Router()
  const organizations = () => controls.listOrganizations().map(({ id }) => id)

  router.get('/pages/controls', (_req, res) => {
    sendHtml(res, <ControlsPage controls={routes} />)
  })

  router.get('/pages/controls/form', async (req, res) => {
    const control = controlOf(req)
    const parameters = parametersOf(control, Query.parse(req.query))
    sendHtml(res, <ControlPage {...await pageOf(req, control, parameters)} />)
  })

  router.post('/pages/controls/form', async (req, res) => {
    const control = controlOf(req)
    const form = Form.parse(req.body ?? {})
    const parameters = parametersOf(control, form)
    const fields = formsOf(bodySchemaOf(control))[form.form] ?? []
    const query =
      z
        .record(z.string(), z.unknown())
        .optional()
        .parse(valueFrom(queryFieldsOf(control), form)) ?? {}
    const search = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]))
    const path = `${pathOf(control, parameters)}${search.size > 0 ? `?${search.toString()}` : ''}`
    const body = valueFrom(fields, form) ?? (fields.length > 0 ? {} : undefined)
    const { status, text } = await callItself(req, {
      method: control.method,
      path,
      body: body && JSON.stringify(body),
    })
    const page = await pageOf(req, control, parameters)
    // Not a redirect: only this answer shows a new token.
    sendHtml(res, <ControlPage {...page} answer={{ status, text: pretty(text) }} />, status ?? 502)
  })

  async function pageOf(req: Request, control: Control, parameters: Record<string, string>) {
    return {
      control,
      parameters,
      query: queryFieldsOf(control),
      forms: formsOf(bodySchemaOf(control)),
      current: await currentOf(req, control, parameters),
      organizations: organizations(),
    }
  }

  /** The current value, from the control that reads the same path. */
  async function currentOf(req: Request, control: Control, parameters: Record<string, string>): Promise<unknown> {
    const twin = routes.find(({ method, path }) => method === 'get' && path === control.path)
    const isShown = (control.method === 'put' || control.method === 'patch') && twin !== undefined
    if (!isShown || Object.values(parameters).includes('')) return undefined
    const { json }: SandboxAnswer = await callItself(req, { method: 'get', path: pathOf(twin, parameters) })
    return Shown.safeParse(json).data?.data
  }

  function controlOf(req: Request): Control {
    const found = routes.find((one) => nameOfControl(one) === req.query.control)
    if (found !== undefined) return found
    throw codedRefusal(404, {
      title: 'Unknown control',
      description: 'There is no control of this name; the page of the controls lists them all.',
      code: 'unknown_control',
    })
  }

  /** Parameters of the path from the form; the default organization if the form has none. */
  function parametersOf({ path }: Control, form: Readonly<Record<string, unknown>>): Record<string, string> {
    const names = [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name)
    return Object.fromEntries(
      names.map((name) => {
        const given = form[`path.${name}`]
        const usual = name === 'organization' ? (organizations()[0] ?? '') : ''
        return [name, typeof given === 'string' ? given.trim() : usual]
      }),
    )
  }

  return router
}

const queryFieldsOf = ({ text }: Control) => (text.query === undefined ? [] : formsOf(text.query).flat())

const pathOf = ({ path }: Control, parameters: Record<string, string>) =>
  `/_sandbox${path.replaceAll(/:(\w+)/g, (_match, name: string) => encodeURIComponent(parameters[name] ?? ''))}`
