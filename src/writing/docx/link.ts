/** A link out of the document. The library names its relationships at random; these are counted. */
import { ConcreteHyperlink, type IContext, type IXmlableObject, type ParagraphChild } from "docx";

const relationship = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/hyperlink";

export class OutsideLink extends ConcreteHyperlink {
  private readonly address: string;

  constructor(children: readonly ParagraphChild[], name: string, address: string) {
    super(children, name);
    this.address = address;
  }

  override prepForXml(context: IContext): IXmlableObject | undefined {
    context.viewWrapper.Relationships.addRelationship(this.linkId, relationship, this.address, "External");
    return super.prepForXml(context);
  }
}
