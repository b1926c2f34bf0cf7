import { readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { fillDocument, renderEnvExample } from './render-settings.ts'

// Writes .env.example and the tables of the documents from the schemas of the settings.
writeFileSync('.env.example', renderEnvExample())
for (const name of readdirSync('docs').filter((each) => each.endsWith('.md')))
  writeFileSync(`docs/${name}`, fillDocument(readFileSync(`docs/${name}`, 'utf8')))
