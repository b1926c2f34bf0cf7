import type { z } from 'zod'

/** Description of one control over HTTP, for its OpenAPI document. */
export interface ControlText {
  summary: string
  /** The schema that the route itself reads its body with. */
  body?: z.ZodType
  /** Without a body it takes its defaults. */
  isBodyOptional?: true
  query?: z.ZodObject
}

/** By method and route, such as `PUT /organizations/:organization`. */
export type ControlTexts = Readonly<Record<string, ControlText>>
