"""Run a study of word order with people: make it, serve it to them, and analyse their answers.

examples:
  wordorder study new rate DIR --ref ref.txt --hyp A.txt B.txt     the folder of a study
  wordorder study check DIR                    what people will see, minutes, lists, power
  wordorder study simulate DIR --people 28     a full dry run
  wordorder study invite DIR 28                links for 28 people
  wordorder study serve DIR                    serve the study; Ctrl-C stops it and nothing is lost
  wordorder study status DIR                   who has done what
  wordorder study close DIR                    take no more answers
  wordorder study analyse DIR                  analyse the answers
  wordorder study COMMAND --help               what each takes, with examples
"""

COMMANDS = {
    "new": "create a study folder from aligned texts or system outputs",
    "check": "preview what people will see, the duration, lists and power",
    "simulate": "simulate answers with known effects, and analyse them",
    "invite": "create links for participants",
    "serve": "serve the study to participants",
    "status": "show the progress of each person",
    "close": "stop accepting answers, or accept them again",
    "withdraw": "withdraw a person, or erase all data about them",
    "export": "export answers as texts, orders, ratings, preferences and alignments",
    "analyse": "analyse the answers",
}
