export { ORDER_EVENT, tableElement, type TableEnvironment } from "./table/element.js";
