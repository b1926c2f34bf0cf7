import { type Request, type Response, Router } from 'express'
import { z } from 'zod'
import { sendHtml } from '@pawl/base/pages/send-html'
import type { Controls } from '../../controls.ts'
import { codedRefusal } from '../../platform/refusal.ts'
import { callItself } from '../call-itself.ts'
import { addressOfCase } from '../cases/addresses.ts'
import { check, optionalText, readForm, text } from '../read-form.ts'
import { CreatePage, EditPage, RefusedPage } from './create-page.tsx'
import { createPaths, examples, requestFromForm } from './examples.ts'

const PriorAuthorizationForm = z.object({
  drug: text,
  result: z.preprocess(
    (given) => given || undefined,
    z.enum(['Approved', 'Denied', 'Not Submitted', 'Other']).optional(),
  ),
  transfer: check,
  outreach: check,
  organization: optionalText,
})
const ExampleForm = z.object({ example: text, organization: optionalText })
const ExampleQuery = z.object({ example: z.string().catch('') })
const OwnForm = z.object({
  path: z.enum(createPaths),
  // Forms send line breaks as CRLF.
  body: z
    .string()
    .min(1)
    .transform((body) => body.replaceAll('\r\n', '\n')),
  organization: optionalText,
})

interface CaseRequest {
  path: string
  body: string
  organization?: string | undefined
}

/** Answer of a create endpoint. */
const Created = z.object({ data: z.object({ id: z.string() }) })

/** Pages of examples and of an editable request, and their forms. */
export function createCaseRoutes({ controls }: { controls: Controls }): Router {
  const router = Router()
  const organizations = () => controls.listOrganizations().map(({ id }) => id)

  router.get('/pages/create', (_req, res) => {
    sendHtml(res, <CreatePage examples={examples()} organizations={organizations()} />)
  })

  router.get('/pages/create/edit', (req, res) => {
    const { path, body } = exampleOf(ExampleQuery.parse(req.query).example)
    sendHtml(res, <EditPage path={path} body={JSON.stringify(body, null, 2)} organizations={organizations()} />)
  })

  router.post('/pages/create/prior-authorization', async (req, res) => {
    const { drug, result, transfer, outreach, organization } = readForm(PriorAuthorizationForm, req)
    const body = requestFromForm({ drug, result, hasTransfer: transfer, hasOutreach: outreach })
    await createOrRefuse(req, res, { path: '/prior-authorization', body: JSON.stringify(body), organization })
  })

  router.post('/pages/create/example', async (req, res) => {
    const { example, organization } = readForm(ExampleForm, req)
    const { path, body } = exampleOf(example)
    await createOrRefuse(req, res, { path, body: JSON.stringify(body), organization })
  })

  router.post('/pages/create/own', async (req, res) => {
    const own = readForm(OwnForm, req)
    const answer = await create(req, res, own)
    if (answer === undefined) return
    const refusal = { ...answer, jsonFault: jsonFaultOf(own.body) }
    sendHtml(res, <EditPage {...own} organizations={organizations()} refusal={refusal} />, answer.status ?? 502)
  })

  /** Redirects to the created case; otherwise resolves with the answer. */
  async function create(
    req: Request,
    res: Response,
    { path, body, organization }: CaseRequest,
  ): Promise<{ status: number | undefined; text: string } | undefined> {
    const token = await controls.issueToken(organization)
    const { status, text: answer, json } = await callItself(req, { method: 'post', token, path, body })
    const created = Created.safeParse(json)
    if (status !== 200 || !created.success)
      return { status, text: json === undefined ? answer : JSON.stringify(json, null, 2) }
    res.redirect(303, addressOfCase(created.data.data.id))
    return undefined
  }

  async function createOrRefuse(req: Request, res: Response, wanted: CaseRequest): Promise<void> {
    const answer = await create(req, res, wanted)
    if (answer !== undefined) sendHtml(res, <RefusedPage {...answer} />, answer.status ?? 502)
  }

  return router
}

/** The parser's message; undefined for valid JSON. */
function jsonFaultOf(text: string): string | undefined {
  try {
    JSON.parse(text)
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : 'not readable'
  }
}

function exampleOf(name: string) {
  const all = examples()
  const found = all.find((one) => one.name === name)
  if (found !== undefined) return found
  throw codedRefusal(404, {
    title: 'Unknown example',
    description: `There is no example of this name; use one of: ${all.map((one) => one.name).join(', ')}.`,
    code: 'unknown_example',
  })
}
