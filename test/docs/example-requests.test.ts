import { readdirSync } from 'node:fs'
import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createOpenApi } from '../../packages/sandbox/src/documents/sandbox-openapi.ts'
import { welcome } from '../../packages/sandbox/src/welcome.ts'
import { endpointOf } from '../interface/endpoints.ts'
import { readPage } from './readme-examples.ts'
import { objections } from './strict-reading.ts'

/** A request of an example: where it stands, which endpoint it is for, and its body. */
type Example = [place: string, operation: string, body: unknown]

/** The client's calls whose first argument is a body. */
const operationOf: Record<string, string> = {
  createPriorAuthorization: 'POST /prior-authorization',
  createBenefitVerification: 'POST /benefit-verification',
  createClinicalQualification: 'POST /clinical-qualification',
  createPaStatusCheck: 'POST /pa-status',
  enrollPatient: 'POST /patient-enrollment',
  authorizeProvider: 'POST /provider/authorize',
}

/** The examples of a page: bodies written out in calls of the client, and in curl lines to endpoints. */
function examplesIn(place: string, text: string): Example[] {
  const calls = [...text.matchAll(/\.(\w+)\((\{\n[\s\S]*?\n\s*\})\)/g)].flatMap(
    ([, name = '', literal = '']): Example[] => {
      const operation = operationOf[name]
      return operation === undefined ? [] : [[place, operation, runInNewContext(`(${literal})`)]]
    },
  )
  const lines = [...text.matchAll(/curl [^\n]*:\/\/[^/\s]+(\/(?!_sandbox)[\w/-]+)[^\n]* -d '([^']*)'/g)].map(
    ([, path = '', body = '']): Example => [place, `POST ${path}`, JSON.parse(body)],
  )
  return [...calls, ...lines]
}

const pages = ['README.md', ...readdirSync(new URL('../../docs/', import.meta.url)).map((name) => `docs/${name}`)]
const ofPages = await Promise.all(
  pages.filter((name) => name.endsWith('.md')).map(async (name) => examplesIn(name, await readPage(name))),
)

const OpenApi = z.object({
  paths: z.record(
    z.string(),
    z.record(
      z.string(),
      z.object({
        requestBody: z
          .object({
            content: z.object({
              'application/json': z.object({ examples: z.record(z.string(), z.object({ value: z.unknown() })) }),
            }),
          })
          .optional(),
      }),
    ),
  ),
})
const ofOpenApi = Object.entries(OpenApi.parse(JSON.parse(JSON.stringify(createOpenApi()))).paths).flatMap(
  ([path, methods]) =>
    Object.entries(methods).flatMap(([method, { requestBody }]) =>
      Object.entries(requestBody?.content['application/json'].examples ?? {}).map(([name, { value }]): Example => [
        `openapi.json, ${name}`,
        `${method.toUpperCase()} ${path.replace('/enrollment/', '/')}`,
        value,
      ]),
    ),
)

const greeting = welcome({
  url: 'http://127.0.0.1:4000',
  command: 'npm run sandbox --',
  token: 'token',
  seed: 1,
  speed: 1,
  data: undefined,
  organizations: [{ id: 'org_demo', webhooks: [] }],
})
const others = examplesIn('what the sandbox prints', greeting)

describe('an example of a request', () => {
  it('is found on the pages, in the description, and in what is printed', () => {
    expect(ofPages.flat().map(([place]) => place)).toContain('docs/client.md')
    expect(new Set(ofOpenApi.map(([, operation]) => operation)).size).toBeGreaterThan(8)
    expect(others.map(([place]) => place)).toContain('what the sandbox prints')
  })

  it.each([...ofPages.flat(), ...ofOpenApi, ...others])(
    '%s: %s is taken by the strictest reader',
    (_place, operation, body) => {
      const { schema } = endpointOf(operation)
      if (schema === undefined) throw new Error(`${operation} takes no body`)
      expect(schema.safeParse(body).error).toBeUndefined()
      // A status check finds what there is: it says nothing of diagnoses.
      const isCheck = operation === 'POST /pa-status'
      expect(objections(body).filter((path) => !(isCheck && path === 'body.diagnoses'))).toEqual([])
    },
  )
})
