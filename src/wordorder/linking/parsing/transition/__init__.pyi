from wordorder.linking.parsing.transition.dependency_parser import DependencyParser as DependencyParser
from wordorder.linking.parsing.transition.learning import ParserOptions as ParserOptions
from wordorder.linking.parsing.transition.parser_file import fingerprint as fingerprint
from wordorder.linking.parsing.transition.parser_file import load as load
from wordorder.linking.parsing.transition.parser_file import save as save
