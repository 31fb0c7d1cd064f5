import { commandsPlugin } from "./commands.js";
import { insertPlugin } from "./inserting.js";
import { panelsPlugin } from "./panels.js";
import { readerPlugin } from "./reader.js";
import { sidebarPlugin } from "./sidebar/plugin.js";

export default [readerPlugin, sidebarPlugin, commandsPlugin, insertPlugin, panelsPlugin];
