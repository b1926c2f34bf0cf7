import { z } from 'zod'

const Code = z.looseObject({ code: z.string() })
const Resource = z.looseObject({
  type: z.string(),
  interaction: z.array(Code).optional().catch(undefined),
  conditionalCreate: z.boolean().optional().catch(undefined),
  conditionalUpdate: z.boolean().optional().catch(undefined),
  searchParam: z
    .array(z.looseObject({ name: z.string() }))
    .optional()
    .catch(undefined),
})
const CapabilityStatement = z.looseObject({
  resourceType: z.literal('CapabilityStatement'),
  fhirVersion: z.string().optional().catch(undefined),
  name: z.string().optional().catch(undefined),
  title: z.string().optional().catch(undefined),
  publisher: z.string().optional().catch(undefined),
  software: z.looseObject({ name: z.string().optional() }).optional().catch(undefined),
  patchFormat: z.array(z.string()).optional().catch(undefined),
  rest: z
    .array(z.looseObject({ mode: z.string().optional(), resource: z.array(Resource).optional() }))
    .optional()
    .catch(undefined),
})

/** The stated capabilities for one type. */
export interface TypeCapabilities {
  canRead: boolean
  canSearch: boolean
  canCreate: boolean
  canUpdate: boolean
  /** It takes JSON patches. */
  canPatch: boolean
  canDelete: boolean
  hasConditionalCreate: boolean
  hasConditionalUpdate: boolean
  searchParameters: ReadonlySet<string>
}

/** The server's stated capabilities: its CapabilityStatement (FHIR R4, `GET /metadata`). */
export interface Capabilities {
  fhirVersion: string | undefined
  software: string | undefined
  /** The names that the product states: software, publisher, title and name. */
  names: readonly string[]
  /** By type; a type that is absent is not served. */
  types: ReadonlyMap<string, TypeCapabilities>
}

/** Reads a CapabilityStatement; undefined for anything else. */
export function readCapabilities(value: unknown): Capabilities | undefined {
  const { data } = CapabilityStatement.safeParse(value)
  if (data === undefined) return undefined
  const server = data.rest?.find(({ mode }) => mode === 'server') ?? data.rest?.[0]
  const takesJsonPatch = data.patchFormat?.some((format) => format.includes('json-patch')) ?? true
  const types = (server?.resource ?? []).map((resource) => [resource.type, readType(resource, takesJsonPatch)] as const)
  const software = data.software?.name
  const names = [software, data.publisher, data.title, data.name].filter((each) => each !== undefined)
  return { fhirVersion: data.fhirVersion, software, names, types: new Map(types) }
}

function readType(resource: z.infer<typeof Resource>, takesJsonPatch: boolean): TypeCapabilities {
  const interactions = new Set(resource.interaction?.map(({ code }) => code))
  return {
    canRead: interactions.has('read'),
    canSearch: interactions.has('search-type'),
    canCreate: interactions.has('create'),
    canUpdate: interactions.has('update'),
    canPatch: takesJsonPatch && interactions.has('patch'),
    canDelete: interactions.has('delete'),
    hasConditionalCreate: resource.conditionalCreate === true,
    hasConditionalUpdate: resource.conditionalUpdate === true,
    searchParameters: new Set(resource.searchParam?.map(({ name }) => name)),
  }
}
