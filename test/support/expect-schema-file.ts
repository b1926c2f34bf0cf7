import { fileURLToPath } from 'node:url'
import { format, resolveConfig } from 'prettier'
import { expect } from 'vitest'
import { z } from 'zod'

/** Compares the schema of what pawl sends with its JSON Schema in `docs`; `vitest -u` brings the file up to date. */
export async function expectSchemaFile(type: z.ZodType, name: string): Promise<void> {
  const schema = z.toJSONSchema(type, {
    // Later fields have no place in it yet: receivers are to ignore them, not to refuse them.
    io: 'input',
    override: ({ jsonSchema }) => {
      if (jsonSchema.format === 'date-time') delete jsonSchema.pattern
    },
  })
  const file = fileURLToPath(new URL(`../../docs/${name}`, import.meta.url))
  const options = await resolveConfig(file)
  await expect(await format(JSON.stringify(schema), { ...options, filepath: file })).toMatchFileSnapshot(file)
}
