import { writeFileSync } from 'node:fs'
import { renderReference } from './render-reference.ts'

// Writes docs/reference.md from the types and schemas.
writeFileSync('docs/reference.md', await renderReference())
