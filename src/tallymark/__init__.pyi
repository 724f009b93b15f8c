from tallymark import tests as tests
from tallymark._version import __version__ as __version__
from tallymark.comparison import Comparison as Comparison
from tallymark.comparison import Difference as Difference
from tallymark.comparison import FoldScores as FoldScores
from tallymark.comparison import compare as compare
from tallymark.curves import Several as Several
from tallymark.curves import roc_from_points as roc_from_points
from tallymark.decisions import ClassDecision as ClassDecision
from tallymark.decisions import Decision as Decision
from tallymark.errors import ColumnError as ColumnError
from tallymark.errors import CostError as CostError
from tallymark.errors import EngineError as EngineError
from tallymark.errors import FileError as FileError
from tallymark.errors import InputError as InputError
from tallymark.errors import LabelError as LabelError
from tallymark.errors import MemoryLimitError as MemoryLimitError
from tallymark.errors import MergeError as MergeError
from tallymark.errors import MetricError as MetricError
from tallymark.errors import MissingExtraError as MissingExtraError
from tallymark.errors import MissingValueError as MissingValueError
from tallymark.errors import OptionError as OptionError
from tallymark.errors import ShapeError as ShapeError
from tallymark.errors import TallymarkError as TallymarkError
from tallymark.errors import WorkerError as WorkerError
from tallymark.evaluation import Evaluation as Evaluation
from tallymark.evaluation import evaluate as evaluate
from tallymark.evaluation.tallying import tally as tally
from tallymark.explanation import Explanation as Explanation
from tallymark.findings import Finding as Finding
from tallymark.gate import Gate as Gate
from tallymark.gate import Outcome as Outcome
from tallymark.gate import check as check
from tallymark.inference import Estimate as Estimate
from tallymark.integrations import displays as displays
from tallymark.integrations.asserting import assert_metric as assert_metric
from tallymark.integrations.asserting import assert_not_worse as assert_not_worse
from tallymark.integrations.metrics_file import metrics_dict as metrics_dict
from tallymark.integrations.metrics_file import save_metrics as save_metrics
from tallymark.integrations.mlflow import log_to_mlflow as log_to_mlflow
from tallymark.integrations.scorers import EstimatorScorer as EstimatorScorer
from tallymark.integrations.scorers import UndefinedScoreWarning as UndefinedScoreWarning
from tallymark.integrations.scorers import scorer as scorer
from tallymark.intervals import auc_interval as auc_interval
from tallymark.intervals import binomial as binomial
from tallymark.intervals import difference as difference
from tallymark.intervals import interval as interval
from tallymark.intervals import paired_difference as paired_difference
from tallymark.planning import Plan as Plan
from tallymark.planning import plan as plan
from tallymark.resampling import Bootstrap as Bootstrap
from tallymark.resampling import Bootstrap632 as Bootstrap632
from tallymark.resampling import Folds as Folds
from tallymark.resampling import Holdout as Holdout
from tallymark.resampling import KFold as KFold
from tallymark.resampling import LeaveOneGroupOut as LeaveOneGroupOut
from tallymark.resampling import LeaveOneOut as LeaveOneOut
from tallymark.resampling import LeavePairsOut as LeavePairsOut
from tallymark.resampling import Oversampling as Oversampling
from tallymark.resampling import RepeatedHoldout as RepeatedHoldout
from tallymark.resampling import ThreeWay as ThreeWay
from tallymark.resampling import Undersampling as Undersampling
from tallymark.resampling import bootstrap_632 as bootstrap_632
from tallymark.resampling import three_way_split as three_way_split
from tallymark.shortcuts import MetricFunction
from tallymark.shortcuts import cost_threshold as cost_threshold
from tallymark.shortcuts import explain as explain
from tallymark.tallies import Binary as Binary
from tallymark.tallies import Confusion as Confusion
from tallymark.tallies import Keyed as Keyed
from tallymark.tallies import LabelSets as LabelSets
from tallymark.tallies import Paired as Paired
from tallymark.tallies import Scores as Scores
from tallymark.tallies.grid import Grid as Grid
from tallymark.tallies.tally import Tally as Tally
from tallymark.validation import Experiment as Experiment
from tallymark.validation import LearningCurve as LearningCurve
from tallymark.validation import PermutationTest as PermutationTest
from tallymark.validation import Preparation as Preparation
from tallymark.validation import RunFolder as RunFolder
from tallymark.validation import RunFolderWarning as RunFolderWarning
from tallymark.validation import Summary as Summary
from tallymark.validation import Tuning as Tuning
from tallymark.validation import Validated as Validated
from tallymark.validation import Validation as Validation
from tallymark.validation import Voting as Voting
from tallymark.validation import learning_curve as learning_curve
from tallymark.validation import permutation_test as permutation_test
from tallymark.validation import tune as tune
from tallymark.validation import validate as validate

accuracy: MetricFunction
accuracy_example: MetricFunction
auc: MetricFunction
auc_ovo_macro: MetricFunction
auc_ovo_weighted: MetricFunction
auc_ovr_macro: MetricFunction
auc_ovr_weighted: MetricFunction
average_precision: MetricFunction
balanced_accuracy: MetricFunction
brier: MetricFunction
brier_half: MetricFunction
diagnostic_odds_ratio: MetricFunction
ece: MetricFunction
error_rate: MetricFunction
f1: MetricFunction
f1_example: MetricFunction
f_beta: MetricFunction
false_omission_rate: MetricFunction
fdr: MetricFunction
fnr: MetricFunction
fpr: MetricFunction
g_mean: MetricFunction
gini: MetricFunction
hamming_loss: MetricFunction
informedness: MetricFunction
jaccard: MetricFunction
kappa: MetricFunction
ks: MetricFunction
log_loss: MetricFunction
lr_minus: MetricFunction
lr_plus: MetricFunction
markedness: MetricFunction
mcc: MetricFunction
mce: MetricFunction
mean_cost: MetricFunction
no_information_rate: MetricFunction
npv: MetricFunction
partial_auc: MetricFunction
partial_auc_mcclish: MetricFunction
precision: MetricFunction
precision_example: MetricFunction
predicted_positive_rate: MetricFunction
prevalence: MetricFunction
recall: MetricFunction
recall_example: MetricFunction
specificity: MetricFunction
subset_accuracy: MetricFunction
top_k_accuracy: MetricFunction
total_cost: MetricFunction
weighted_accuracy: MetricFunction
