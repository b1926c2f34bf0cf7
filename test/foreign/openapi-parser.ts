import { foreign } from './load.ts'

/** Validates documents of OpenAPI, where it is installed. */
export const openApiParser = await foreign<{ validate(document: object): Promise<object> }>('@readme/openapi-parser')
