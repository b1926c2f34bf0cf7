import { createAssets } from '../../base/pages/assets.ts'
import { style } from '../../base/pages/style.ts'
import { script } from './script.ts'
import { sandboxStyle } from './style.ts'

export const assets = createAssets({ at: '/_sandbox/pages/assets', style: style + sandboxStyle, script })
