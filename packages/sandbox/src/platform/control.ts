import { type Request, type Response, Router } from 'express'
import type { z } from 'zod'
import { success } from './answer.ts'
import { readControl } from './read-control.ts'

type Method = 'get' | 'post' | 'put' | 'patch' | 'delete'

interface ControlText<Body extends z.ZodType, Query extends z.ZodObject> {
  summary: string
  body?: Body
  /** An absent body takes its defaults. */
  isBodyOptional?: true
  /** Replaces `body` in the document only: `run` reads `req.body` itself. */
  documentedBody?: z.ZodType
  query?: Query
}

type Asked<Path, Body, Query> = Record<ParameterOf<Path>, string> & {
  body: Body
  query: Query
  req: Request
  res: Response
}

type ParameterOf<Path> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | ParameterOf<Rest>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never

/** A control over HTTP: its route below `/_sandbox`, and its texts in the OpenAPI document. */
export interface Control {
  method: Method
  /** Such as `/organizations/:organization`. */
  path: string
  text: ControlText<z.ZodType, z.ZodObject>
  handle: (req: Request, res: Response) => Promise<void>
}

/** Describes and serves a control. Answers success with the value of `run`, unless `run` sends its own answer. */
export function control<Path extends string, Body extends z.ZodType, Query extends z.ZodObject>(
  route: `${Uppercase<Method>} ${Path}`,
  text: ControlText<Body, Query>,
  run: (asked: Asked<Path, z.infer<Body>, z.infer<Query>>) => unknown,
): Control {
  const [method, path] = route.split(' ')
  const { body, isBodyOptional, query } = text
  return {
    // The compiler cannot see the text before the space.
    method: method?.toLowerCase() as Method,
    path: path ?? '',
    text,
    handle: async (req, res) => {
      const given = isBodyOptional === true ? (req.body ?? {}) : req.body
      // The compiler cannot see the names in the path, nor that parts without a schema are absent.
      const asked = {
        ...req.params,
        body: body && readControl(body, given),
        query: query && readControl(query, req.query, 'query'),
        req,
        res,
      } as Asked<Path, z.infer<Body>, z.infer<Query>>
      const data = await run(asked)
      if (!res.headersSent) res.json(success(data))
    },
  }
}

/** Serves controls. */
export function serveControls(controls: readonly Control[]): Router {
  const router = Router()
  for (const { method, path, handle } of controls) router[method](path, handle)
  return router
}
