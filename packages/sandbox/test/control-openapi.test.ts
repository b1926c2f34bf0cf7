import request from 'supertest'
import { describe, expect, it } from 'vitest'
import { openApiParser } from '../../../test/foreign/openapi-parser.ts'
import { startSandbox } from './play.ts'
import { routesBelow } from './routes-below.ts'
import { priorAuthorization } from './requests.ts'

interface Operation {
  operationId: string
  parameters?: { name: string; in: string }[]
  requestBody?: { required: boolean; content: { 'application/json': { schema: { $ref: string } } } }
}

async function readDocument() {
  const { sandbox, create } = await startSandbox()
  const { body } = await request(sandbox.app).get('/_sandbox/openapi.json').expect(200)
  // A test below validates it.
  const paths = body.paths as Record<string, Record<string, Operation>>
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  )
  const schemaOf = ({ requestBody }: Operation) =>
    body.components.schemas[requestBody?.content['application/json'].schema.$ref.split('/').at(-1) ?? '']
  return { sandbox, create, document: body, operations, schemaOf }
}

describe('the OpenAPI document of the controls', () => {
  it.skipIf(openApiParser === undefined)('is valid', async () => {
    const { document } = await readDocument()
    expect(await openApiParser?.validate(structuredClone(document))).toMatchObject({ valid: true })
  })

  it('names each operation once', async () => {
    const { operations } = await readDocument()
    expect(new Set(operations.map(({ operation }) => operation.operationId)).size).toBe(operations.length)
  })

  it('has each route and no other', async () => {
    const { sandbox, operations } = await readDocument()
    const documented = operations.map(
      ({ method, path }) => `${method.toUpperCase()} ${path.replace('/_sandbox', '').replaceAll(/\{(\w+)\}/g, ':$1')}`,
    )
    const routes = routesBelow(sandbox, '/_sandbox')
    expect(documented.toSorted()).toEqual(routes.toSorted())
  })

  it('names the fields that each route reads, in bodies and queries', async () => {
    const { sandbox, create, operations, schemaOf } = await readDocument()
    const pa = await create('/prior-authorization', priorAuthorization())
    let compared = 0
    for (const { path, method, operation } of operations) {
      const address = path.replace('{organization}', 'org_demo').replace('{webhook}', 'x').replace('{id}', pa)
      // Each control refuses an unknown field with the list of those that it knows.
      const call = request(sandbox.app)[method as 'post' | 'put' | 'patch' | 'get' | 'delete'](address)
      const query = operation.parameters?.filter((one) => one.in === 'query').map(({ name }) => name) ?? []
      const fields = Object.keys(schemaOf(operation)?.properties ?? {})
      if (query.length === 0 && fields.length === 0) continue
      const { status, body } = query.length > 0 ? await call.query({ unknown: '1' }) : await call.send({ unknown: 1 })
      expect({ address, status }).toEqual({ address, status: 422 })
      const told = body.detail.find(({ loc }: { loc: string[] }) => loc.at(-1) === 'unknown')?.msg
      const known = [...query, ...fields].join(', ')
      expect({ address, told }).toEqual({ address, told: `No such field; use one of: ${known}` })
      compared += 1
    }
    expect(compared).toBeGreaterThan(15)
  })

  it('requires a body exactly where the route does', async () => {
    const { sandbox, operations } = await readDocument()
    for (const { path, method, operation } of operations) {
      if (operation.requestBody === undefined || /\{(id|webhook)\}/.test(path)) continue
      const address = path.replace('{organization}', 'org_demo')
      const { status } = await request(sandbox.app)[method as 'post' | 'put' | 'patch'](address)
      expect({ address, method, isRefused: status === 422 }).toEqual({
        address,
        method,
        isRefused: operation.requestBody.required,
      })
    }
  })
})
