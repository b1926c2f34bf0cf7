import { z } from 'zod'
import { readFixture, RequestFixture } from './spec-fixtures.ts'
import { prepared, type InterfaceWorld } from './interface-world.ts'

const Answer = z.looseObject({ data: z.looseObject({ id: z.string() }) })
export const PA = '/prior-authorization'
export const BV = '/benefit-verification'
export const CQ = '/clinical-qualification'

export const isPlain = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A fixture's request (default: the minimal one of the path) with `fields` in the place of its own; objects are laid over its own. */
export async function send(world: InterfaceWorld, path: string, fields: object, file = `${path.slice(1)}/minimal`) {
  const fixture = readFixture(`requests/${file}.json`, RequestFixture)
  const body = z.looseObject({}).parse(await prepared(world, fixture))
  const laid = Object.entries(fields).map(([key, value]: [string, unknown]) => {
    const own = body[key]
    return [key, isPlain(own) && isPlain(value) ? { ...own, ...value } : value]
  })
  return world.send(`POST ${path}`, { body: { ...body, ...Object.fromEntries(laid) } })
}

/** The id of what `send` created. */
export async function create(world: InterfaceWorld, path: string, fields: object, file?: string): Promise<string> {
  return Answer.parse((await send(world, path, fields, file)).body).data.id
}

/** A resource as GET shows it. */
export async function read(world: InterfaceWorld, path: string, id: string) {
  return Answer.parse((await world.send(`GET ${path}/{id}`, { id })).body).data
}
